CREATE TABLE client (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client,
    ordered_on DATE, shipping_fee REAL);
CREATE TABLE order_line (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders,
    quantity INTEGER, unit_price REAL);
INSERT INTO client VALUES (1, 'Dee');
INSERT INTO orders VALUES (7, 1, '2024-01-02', 5), (8, 1, '2024-01-03', 60);
INSERT INTO order_line VALUES (1, 7, 2, 40), (2, 8, 1, 9.5);
