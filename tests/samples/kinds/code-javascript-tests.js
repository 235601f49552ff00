const test = require('node:test');
const assert = require('node:assert');
const { EMPTY, add, checkout } = require('./cart.js');

test('a new cart is empty', () => assert.strictEqual(EMPTY.lines.length, 0));
test('the same thing twice is one line', () => {
  const cart = add(add(EMPTY, 'tea', 260), 'tea', 250);
  assert.deepStrictEqual(cart.lines, [{ name: 'tea', cents: 260, count: 2 }]);
});
test('checkout pays what is due', async () => {
  const paid = [];
  await checkout(add(EMPTY, 'jam', 199), async (due) => paid.push(due));
  assert.deepStrictEqual(paid, [200]);
});
