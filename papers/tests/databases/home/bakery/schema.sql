CREATE TABLE bakers (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE cakes (id INTEGER PRIMARY KEY, name TEXT, price REAL,
    baker_id INTEGER REFERENCES bakers (id));
INSERT INTO bakers VALUES (1, 'Ada', 'Oslo'), (2, 'Bo', 'Bergen'), (3, 'Cem', 'Oslo');
INSERT INTO cakes VALUES (1, 'Opera', 4.5, 1), (2, 'Sacher', 5, 1), (3, 'Tiramisu', 3.25, 2),
    (4, 'Pavlova', 6, 3);
