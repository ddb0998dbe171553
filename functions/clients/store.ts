import { entity, storedAs } from '../../shared/table/repository/entity.ts';
import { type Client, client, clientAction } from './contract.ts';

/** A client as stored: its risks are counted, so that services and resources can come and go without reading each other. */
export interface StoredClient extends Omit<Client, 'has_risks'> {
  /** How many of its services and resources are a risk now. */
  readonly risks: number;
}

export const clientEntity = entity('CLIENT', storedAs<StoredClient>(client), {
  filters: ['status'],
  json: ['metadata'],
});

export const actionEntity = entity('ACTION', clientAction, { json: ['details'], byTime: true, parent: clientEntity });

/** The client as answered. */
export const toClient = (stored: StoredClient): Client => ({ ...stored, has_risks: stored.risks > 0 });
