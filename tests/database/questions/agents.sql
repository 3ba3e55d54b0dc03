CREATE TABLE agent (id INTEGER PRIMARY KEY, name TEXT, speaks TEXT);
INSERT INTO agent VALUES (0, 'Ada', 'English, French');
INSERT INTO agent VALUES (1, 'Bo', 'English');
INSERT INTO agent VALUES (2, 'Cem', 'English, Dutch');
INSERT INTO agent VALUES (3, 'Dag', 'German');
