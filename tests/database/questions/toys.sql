CREATE TABLE shelf (id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES shelf);
CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT, contact_person TEXT, city TEXT, country TEXT,
    commission_percent REAL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, country TEXT,
    referred_by INTEGER REFERENCES customers);
CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT, job_title TEXT, hired_on DATE,
    left_on DATE);
CREATE TABLE toy (id INTEGER PRIMARY KEY, name TEXT, shop_id INTEGER REFERENCES shop,
    shelf_id INTEGER REFERENCES shelf, price REAL, stock INTEGER, state TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers,
    ordered_on DATE);
CREATE TABLE order_lines (order_id INTEGER REFERENCES orders, toy_id INTEGER REFERENCES toy,
    quantity INTEGER, PRIMARY KEY (order_id, toy_id));
INSERT INTO shelf VALUES (1, 'Games', NULL), (2, 'Puzzles', 1), (3, 'Dice', 1), (4, 'Dolls', NULL);
INSERT INTO shop VALUES (1, 'Red Barn', 'Ida Falk', 'Ulm', 'United Kingdom', 7.5),
    (2, 'Blue Loft', 'Jon Weir', 'Jena', 'Norway', 9.0);
INSERT INTO customers VALUES (1, 'Ann', 'Ulm', 'Norway', NULL), (2, 'Bob', 'Jena', 'Norway', 1),
    (3, 'Cid', 'Bonn', 'United Kingdom', 1);
INSERT INTO staff VALUES (1, 'Eva Stern', 'packer', '2020-01-01', '2020-01-31');
INSERT INTO toy VALUES (1, 'Oak Castle', 1, 4, 30.0, 5, 'in repair'),
    (2, 'Tin Robot', 2, 2, 12.0, 8, 'new'), (3, 'Rag Bear', 2, 4, 9.0, 2, 'new');
INSERT INTO orders VALUES (41, 1, '2024-03-01'), (42, 2, '2024-05-01');
INSERT INTO order_lines VALUES (41, 1, 1), (41, 2, 2), (42, 3, 1);
