CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT, nationality TEXT, notes TEXT);
INSERT INTO artist VALUES (1, 'Ida', 'Spanish', 'German'), (2, 'Uwe', 'German', 'Spanish');
