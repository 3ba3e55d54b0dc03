CREATE TYPE cast_mood AS ENUM ('loud', 'calm');
CREATE TABLE cast_shows (id INTEGER PRIMARY KEY, act VARCHAR(20), start_time TIME, mood cast_mood, ticket UUID, sold TIMESTAMPTZ);
INSERT INTO cast_shows VALUES (1, 'Owls', '21:00', 'loud', '0b0e2d1c-6f3a-4d55-9a57-0d7e8f2c1a01', '2024-05-01 12:00:00Z'), (2, 'Foxes', '22:30', 'calm', '0b0e2d1c-6f3a-4d55-9a57-0d7e8f2c1a02', NULL), (3, 'Bears', NULL, NULL, NULL, NULL);
