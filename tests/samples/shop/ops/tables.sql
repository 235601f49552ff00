-- What is sold, and to whom.
CREATE TABLE items (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    cents INTEGER NOT NULL CHECK (cents > 0)
);

CREATE INDEX items_by_price ON items (cents);

INSERT INTO items (name, cents) VALUES ('tea', 250), ('jam', 199), ('rice', 120);

SELECT name, cents
FROM items
WHERE cents < 200
ORDER BY cents DESC
LIMIT 10;

UPDATE items SET cents = cents + 10 WHERE name = 'tea';
