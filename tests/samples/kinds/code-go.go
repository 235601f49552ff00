package main

import (
	"errors"
	"fmt"
	"os"
)

// Till takes money.
type Till struct {
	Name  string
	coins []int
}

var errEmpty = errors.New("till: nothing in it")

func (t *Till) Take(cents int) error {
	if cents <= 0 {
		return fmt.Errorf("till %q: %d is no coin", t.Name, cents)
	}
	t.coins = append(t.coins, cents)
	return nil
}

func main() {
	till := &Till{Name: "front"}
	for _, cents := range []int{1, 2, 5} {
		if err := till.Take(cents); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	defer fmt.Println(len(till.coins))
}
