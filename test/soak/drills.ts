import type { Entry, Fields, Kind, Recorder } from './recorder.ts';

/**
 * Short histories in a chosen order, in each of which one bug shows that a server has. Another server has none. The clock of the first is
 * a minute ahead, so that it finds every number overdue.
 */

/** The server without a bug. */
export const OTHER = 0;

let marks = 0;
const create = (recorder: Recorder, server: number, kind: Kind, fields: Fields = {}): Promise<Entry> =>
  recorder.act(server, { do: 'create', kind, mark: `drill-${marks++}`, fields, via: 'request' });
const change = (recorder: Recorder, server: number, kind: Kind, id: unknown, fields: Fields): Promise<Entry> =>
  recorder.act(server, { do: 'change', kind, id: String(id), fields });
const list = (recorder: Recorder, server: number, kind: Kind): Promise<Entry> =>
  recorder.act(server, { do: 'list', kind, filter: {}, pageSize: 50 });

const clientFor = async (recorder: Recorder): Promise<Fields> => ({
  client_id: (await create(recorder, OTHER, 'clients')).body.id,
});

/** By the name of the bug. */
export const DRILLS: Readonly<Record<string, (recorder: Recorder, server: number) => Promise<void>>> = {
  /** A writer is paused before its record. A reader closes the number, and is paused before that until the record is there. */
  'a fence overwrites a record': async (recorder, server) => {
    const { network } = recorder.fleet;
    const fields = await clientFor(recorder);
    await create(recorder, server, 'services', fields);
    const [write, fence] = [network.hold(OTHER, 'TransactWriteItems'), network.hold(server, 'PutItem', 'TOMBSTONE')];
    const writing = create(recorder, OTHER, 'services', fields);
    await Promise.race([write.reached, writing]);
    const reading = list(recorder, server, 'services');
    await Promise.race([fence.reached, reading]);
    write.release();
    await writing;
    fence.release();
    await reading;
  },

  /** The call that takes a number arrives a second time, after another number was taken: nobody uses the third. */
  'a lost number is never overdue': async (recorder, server) => {
    const { network } = recorder.fleet;
    const fields = await clientFor(recorder);
    await create(recorder, server, 'services', fields);
    network.decide = (call) => (call.server === server && call.operation === 'UpdateItem' ? 'repeated' : 'pass');
    await create(recorder, server, 'services', fields);
    network.decide = () => 'pass';
    await create(recorder, OTHER, 'services', fields);
    await network.settle();
    await create(recorder, OTHER, 'services', fields);
  },

  /** Two changes of one record as read, both of which leave one set. */
  'a change has no condition': async (recorder, server) => {
    const { network } = recorder.fleet;
    const { body } = await create(recorder, OTHER, 'tickets', await clientFor(recorder));
    const held = network.hold(server, 'TransactWriteItems');
    const changing = change(recorder, server, 'tickets', body.id, { status: 'closed' });
    await Promise.race([held.reached, changing]);
    await change(recorder, OTHER, 'tickets', body.id, { status: 'pending' });
    held.release();
    await changing;
  },

  'a deletion leaves the record in its sets': async (recorder, server) => {
    const { body } = await create(recorder, OTHER, 'tickets', await clientFor(recorder));
    await recorder.act(server, { do: 'delete', kind: 'tickets', id: String(body.id) });
  },

  'a record stays in the set that it leaves': async (recorder, server) => {
    const { body } = await create(recorder, OTHER, 'tickets', await clientFor(recorder));
    await change(recorder, server, 'tickets', body.id, { status: 'closed' });
  },

  'a unique value is not claimed': async (recorder, server) => {
    await create(recorder, server, 'clients', { slug: 'taken' });
    await create(recorder, server, 'clients', { slug: 'taken' });
  },

  'a counter is not moved': async (recorder, server) => {
    await create(recorder, server, 'services', await clientFor(recorder));
  },

  /** The reply is lost, and DynamoDB has forgotten the token when the transaction comes again. */
  'a commit does not know its own writes': async (recorder, server) => {
    const { network } = recorder.fleet;
    const { body } = await create(recorder, OTHER, 'tickets', await clientFor(recorder));
    let met = false;
    network.decide = (call) => {
      if (met || call.server !== server || call.operation !== 'TransactWriteItems') return 'pass';
      met = true;
      return 'forgotten';
    };
    await recorder.act(server, { do: 'delete', kind: 'tickets', id: String(body.id) });
    network.decide = () => 'pass';
  },

  'a commit takes what others wrote for its own': async (recorder, server) => {
    await create(recorder, OTHER, 'clients', { slug: 'taken' });
    await create(recorder, server, 'clients', { slug: 'taken' });
    // Its clock shows when the last number was taken: the one before is overdue now.
    await create(recorder, OTHER, 'clients');
  },
};
