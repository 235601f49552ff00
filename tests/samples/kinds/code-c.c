#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHELVES 14

struct shelf {
    char name[32];
    int pieces;
};

static int total(const struct shelf *shelves, size_t count)
{
    int sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += shelves[i].pieces;
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct shelf shelves[SHELVES] = {0};
    for (int i = 1; i < argc && i <= SHELVES; i++) {
        strncpy(shelves[i - 1].name, argv[i], sizeof shelves[0].name - 1);
        shelves[i - 1].pieces = i * 3;
    }
    printf("%d pieces\n", total(shelves, SHELVES));
    return total(shelves, SHELVES) > 9 ? EXIT_FAILURE : EXIT_SUCCESS;
}
