<?php

declare(strict_types=1);

namespace Shop;

use InvalidArgumentException;

final class Till
{
    private array $coins = [];

    public function __construct(private readonly string $name)
    {
    }

    public function take(int $cents): self
    {
        if ($cents <= 0) {
            throw new InvalidArgumentException("$cents is no coin");
        }
        $this->coins[] = $cents;

        return $this;
    }
}

echo count((new Till('front'))->take(5)->coins ?? []), PHP_EOL;
