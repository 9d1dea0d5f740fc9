-- Lists of streams in the order in which they were opened. The time of opening never changes, so acts stay heap-only.

create index streams_opened on tables.streams (opened_at, id);
create index streams_opened on tournaments.streams (opened_at, id);
