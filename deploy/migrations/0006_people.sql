-- What is known of persons, outside the logs: it can be erased, and the logs stay as they are.
--
-- A log holds ids of players and, in place of a text that somebody wrote, its mark: a salted hash. The text and the
-- salt are here, and erased together.

create schema people;

create table people.persons (
  player     text primary key check (player ~ '^[A-Za-z0-9._:-]{1,64}$'),
  name       text not null default '' check (length(name) <= 80),
  contact    text not null default '' check (length(contact) <= 200),
  changed_at timestamptz not null default clock_timestamp()
);

create table people.texts (
  mark    text primary key check (mark ~ '^text:[0-9a-f]{64}$'),
  stream  uuid not null,
  salt    bytea not null check (octet_length(salt) = 32),
  text    text not null check (length(text) <= 500),
  players text[] not null,
  unique (stream, text)
);

create index texts_players on people.texts using gin (players);

comment on column people.persons.player is 'the id that the logs hold';
comment on column people.texts.mark is 'what the log holds in its place: pinochle/texts.py says how it is made';
comment on column people.texts.players is 'whom it concerns: forgetting one of them erases it';

grant usage on schema people to pinochle_tables, pinochle_tournaments;
grant select, insert, update, delete on people.persons to pinochle_tables;
grant select on people.persons to pinochle_tournaments;
grant select, insert, delete on people.texts to pinochle_tables, pinochle_tournaments;
grant update (players) on people.texts to pinochle_tables, pinochle_tournaments;
