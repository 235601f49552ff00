struct a { int b; };
int f(struct a *x)
{
    return x->b;
}
