public class Broken {
    public static void main(String[] args) {
        int cents = "three";
        String name = missing();
        System.out.println(cents + nmae);
    }
}
