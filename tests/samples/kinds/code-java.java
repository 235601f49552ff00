package shop;

import java.util.ArrayList;
import java.util.List;

/** Takes money. */
public class Till {
    private final List<Integer> coins = new ArrayList<>();

    public static void main(String[] args) {
        Till till = new Till();
        for (String arg : args) {
            till.take(Integer.parseInt(arg));
        }
        System.out.println(till.sum());
    }

    void take(int cents) {
        coins.add(cents);
    }

    int sum() {
        return coins.stream().mapToInt(Integer::intValue).sum();
    }
}
