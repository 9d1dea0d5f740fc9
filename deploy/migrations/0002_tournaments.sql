-- The streams of every tournament and the acts in them.
--
-- An append moves the head row from version v to v + 1 and inserts one act. There is no index on command ids
-- (whoever appends at v has folded all acts up to v) and none on a column that moves with each act, so that
-- updates of head rows stay heap-only. "open" changes once, when the stream ends.

create schema tournaments;

create table tournaments.streams (
  id        uuid primary key,
  version   int4 not null check (version > 0),
  head      bytea not null check (octet_length(head) = 32),
  due       int2 not null,
  due_at    timestamptz,
  open      bool not null,
  opened_at timestamptz not null default clock_timestamp()
);

create index streams_open on tournaments.streams (id) where open;

create table tournaments.acts (
  stream      uuid not null,
  version     int4 not null check (version > 0),
  command_id  uuid not null,
  body        bytea not null,
  hash        bytea not null check (octet_length(hash) = 32),
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (stream, version)
);

comment on column tournaments.streams.head is 'hash of the stream''s latest act';
comment on column tournaments.streams.due is 'who must act next, in the words of the service; opaque here';
comment on column tournaments.acts.body is 'protobuf message: exactly the bytes that the hash covers';
comment on column tournaments.acts.hash is 'SHA-256(previous hash, stream, version as 8 bytes, command id, body)';
