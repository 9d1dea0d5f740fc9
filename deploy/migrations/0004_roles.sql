-- The rights of the two services. A role may add acts and read them; it may never change, remove or empty
-- them, and it does not see the other service's schema. Roles belong to the whole cluster, so they may be there
-- already. They get their passwords, and with them the right to log in, from the runner.

do $$
declare
  name text;
begin
  foreach name in array array['pinochle_tables', 'pinochle_tournaments'] loop
    begin
      if not exists (select from pg_roles where rolname = name) then
        execute format('create role %I nologin nosuperuser nocreatedb nocreaterole noreplication nobypassrls', name);
      end if;
    exception when duplicate_object or unique_violation then
      null;  -- another database of this cluster was migrated at the same moment
    end;
  end loop;
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to pinochle_tables, pinochle_tournaments', current_database());
end
$$;

revoke all on schema public from public;

grant usage on schema tables to pinochle_tables;
grant select, insert on tables.streams, tables.acts to pinochle_tables;
grant update (version, head, due, due_at, open) on tables.streams to pinochle_tables;

grant usage on schema tournaments to pinochle_tournaments;
grant select, insert on tournaments.streams, tournaments.acts to pinochle_tournaments;
grant update (version, head, due, due_at, open) on tournaments.streams to pinochle_tournaments;

grant usage on schema auth to pinochle_tables, pinochle_tournaments;
grant select on auth.tokens to pinochle_tables, pinochle_tournaments;
grant insert, update on auth.tokens to pinochle_tables;
