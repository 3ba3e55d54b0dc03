CREATE TABLE club (name TEXT PRIMARY KEY, city TEXT, stadium TEXT, founded INTEGER);
CREATE TABLE player (name TEXT PRIMARY KEY, club TEXT REFERENCES club, age INTEGER, goals INTEGER);
CREATE TABLE game (home TEXT, away TEXT, home_goals INTEGER, away_goals INTEGER);

INSERT INTO club VALUES
  ('Harbour Rovers', 'Portmouth', 'Quayside', 1889),
  ('Portmouth City', 'Portmouth', 'The Docks', 1921),
  ('Mill United', 'Weaverton', 'Loom Park', 1878),
  ('Castle Athletic', 'Stonebury', 'The Keep', 1902),
  ('Valley Rangers', 'Glenford', 'Riverbank', 1911);

INSERT INTO player VALUES
  ('Amos Reed', 'Harbour Rovers', 31, 12),
  ('Bilal Khan', 'Harbour Rovers', 22, 7),
  ('Cyrus Webb', 'Portmouth City', 19, 3),
  ('Dario Conti', 'Portmouth City', 27, 15),
  ('Emil Novak', 'Mill United', 24, 9),
  ('Femi Ade', 'Mill United', 33, 18),
  ('Goran Lund', 'Castle Athletic', 20, 6),
  ('Hugo Marsh', 'Castle Athletic', 29, 2),
  ('Ivan Petrov', 'Valley Rangers', 26, 11),
  ('Jonas Beck', 'Valley Rangers', 18, 4);

INSERT INTO game VALUES
  ('Harbour Rovers', 'Portmouth City', 2, 1),
  ('Harbour Rovers', 'Mill United', 0, 3),
  ('Portmouth City', 'Castle Athletic', 1, 0),
  ('Mill United', 'Valley Rangers', 2, 2),
  ('Mill United', 'Castle Athletic', 4, 1),
  ('Castle Athletic', 'Harbour Rovers', 1, 2),
  ('Valley Rangers', 'Portmouth City', 3, 0),
  ('Valley Rangers', 'Castle Athletic', 1, 2);
