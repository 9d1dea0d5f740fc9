-- A text may be wanted by several commands at once: one that is refused must not erase what another has put into a log.

alter table people.texts add column wanted int not null default 1;

comment on column people.texts.wanted is 'by how many commands, less those that were refused';

grant update (wanted) on people.texts to pinochle_tables, pinochle_tournaments;
