using System;
using System.Collections.Generic;
using System.Linq;

namespace Shop
{
    public sealed class Till : IDisposable
    {
        private readonly List<int> coins = new();

        public int Sum => coins.Sum();

        public string Name { get; set; } = "front";

        public void Take(int cents)
        {
            if (cents <= 0)
            {
                throw new ArgumentOutOfRangeException(nameof(cents));
            }
            coins.Add(cents);
        }

        public void Dispose() => Console.WriteLine($"closed with {Sum}");
    }
}
