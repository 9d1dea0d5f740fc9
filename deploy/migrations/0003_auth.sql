-- Bearer tokens: only the SHA-256 of a token's text is kept.

create schema auth;

create table auth.tokens (
  hash       bytea primary key check (octet_length(hash) = 32),
  id         text not null unique check (id <> ''),
  role       text not null check (role in ('operator', 'director', 'player', 'spectator', 'bots', 'service')),
  player     text check (player ~ '^[A-Za-z0-9._:-]{1,64}$'),
  stream     uuid,
  seat       int2 check (seat >= 0),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  note       text not null default '',
  check (seat is null or stream is not null),
  check ((role = 'player') = (player is not null))
);

comment on column auth.tokens.stream is 'the one table or tournament that the token is good for; null: any';
