    -- What lists and finds ask of tasks, in rows so narrow that a look at each of them is cheap: a filter, or several
    -- together, costs one run through this table at the most, whatever it is. Labels have a separator on both sides.
    create table facets (
        number integer primary key, status text not null, priority text not null, type text not null, phase text,
        parent integer, assignee text, labels text, closed integer not null, place integer not null,
        begun integer not null, updated integer not null, changed integer not null, archived integer
    ) strict;
    insert into facets select number, status, priority, type, phase, parent, assignee, char(30) || labels || char(30),
        closed, place, begun, updated, changed, archived from tasks order by number;
    create trigger facets_added after insert on tasks begin
        insert into facets values (new.number, new.status, new.priority, new.type, new.phase, new.parent,
            new.assignee, char(30) || new.labels || char(30), new.closed, new.place, new.begun, new.updated,
            new.changed, new.archived);
    end;
    create trigger facets_changed after update of
        number, status, priority, type, phase, parent, assignee, labels, begun, updated, changed, archived on tasks
    begin
        update facets set number = new.number, status = new.status, priority = new.priority, type = new.type,
            phase = new.phase, parent = new.parent, assignee = new.assignee,
            labels = char(30) || new.labels || char(30), closed = new.closed, place = new.place, begun = new.begun,
            updated = new.updated, changed = new.changed, archived = new.archived where number = old.number;
    end;
    create trigger facets_deleted after delete on tasks begin
        delete from facets where number = old.number;
    end;

    drop index tasks_by_place;
    drop index tasks_by_state;
    drop index tasks_live;
    drop index tasks_by_status;
    drop index tasks_by_turn;
    drop index tasks_by_update;
    drop index tasks_by_age;
    drop index tasks_archived;
    drop index tasks_by_phase;
    drop index tasks_by_type;
    drop index tasks_by_priority;
    create index facets_by_state on facets (closed, number) where archived is null;
    create index facets_by_place on facets (place, begun, number) where archived is null;
    create index facets_by_age on facets (-begun, number) where archived is null;
    create index facets_by_update on facets (-updated, number) where archived is null;
    create index facets_by_turn on facets (status, place, begun, number, parent, changed) where archived is null;
    create index facets_archived on facets (-archived, number) where archived is not null;
    create index facets_by_change on facets (changed);
    create index facets_parts on facets (parent, closed) where parent is not null;
