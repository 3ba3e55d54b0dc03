CREATE TABLE gardens (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE plants (id INTEGER PRIMARY KEY, name TEXT, height INTEGER,
    garden_id INTEGER REFERENCES gardens (id));
INSERT INTO gardens VALUES (1, 'Rose Yard', 'Kiel'), (2, 'Moss Hill', 'Bonn');
INSERT INTO plants VALUES (1, 'fern', 40, 1), (2, 'lupin', 90, 1), (3, 'thyme', 20, 2);
