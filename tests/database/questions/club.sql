CREATE TABLE teams(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE matches(id INTEGER PRIMARY KEY, home_team_id INTEGER REFERENCES teams(id),
    away_team_id INTEGER REFERENCES teams(id), home_goals INTEGER, away_goals INTEGER,
    played_on DATE);
CREATE TABLE players(id INTEGER PRIMARY KEY, name TEXT, team_id INTEGER REFERENCES teams(id),
    salary REAL, position TEXT, nickname TEXT);
CREATE TABLE skills(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE player_skills(player_id INTEGER REFERENCES players(id),
    skill_id INTEGER REFERENCES skills(id), PRIMARY KEY(player_id, skill_id));
INSERT INTO teams VALUES(1,'Lions','Ulm'),(2,'Bears','Bonn'),(3,'Hawks','Kiel');
INSERT INTO matches VALUES(1,1,2,3,1,'2026-07-05'),(2,2,1,0,0,'2026-08-05'),
    (3,1,3,2,2,'2026-11-02'),(4,3,1,1,4,'2025-11-20'),(5,2,3,5,0,'2026-09-30'),
    (6,3,2,0,1,'2026-04-11'),(7,3,2,2,3,'2026-05-09');
INSERT INTO players VALUES(1,'Sean O''Brien',1,100,'goalkeeper','Ob'),
    (2,'Max Bauer',1,200,'striker',NULL),(3,'Tim Cole',2,150,'striker',''),
    (4,'Jon Dorn',2,120,'defender','JD'),(5,'Lee Ernst',3,90,'striker',NULL),
    (6,'Ray Fink',1,170,'striker','Ray');
INSERT INTO skills VALUES(1,'dribbling'),(2,'passing'),(3,'heading');
INSERT INTO player_skills VALUES(1,2),(2,1),(2,2),(3,3),(4,2),(4,3),(6,1);
