'use strict';

const EMPTY = Object.freeze({ lines: [] });

/** Adds a line, or raises the count of the one that is there. */
function add(cart, name, cents) {
  const found = cart.lines.find((line) => line.name === name);
  if (found) {
    return { lines: cart.lines.map((line) => (line === found ? { ...line, count: line.count + 1 } : line)) };
  }
  return { lines: [...cart.lines, { name, cents, count: 1 }] };
}

async function checkout(cart, pay) {
  const due = cart.lines.reduce((sum, line) => sum + line.cents * line.count, 0);
  const receipt = await pay(due);
  console.log(`paid ${due}`);
  return receipt;
}

module.exports = { EMPTY, add, checkout };
