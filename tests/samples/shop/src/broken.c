#include <stdio.h>

int main(void)
{
    int count = "three";
    char *name = 5
    printf("%s\n", count);
    undeclared(name);
    return missing;
}
