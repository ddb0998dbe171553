import { entity, exactly } from '../../shared/table/repository/entity.ts';
import type { Client, ClientAction } from './contract.ts';

/** A client as stored: its risks are counted, so that services and resources can come and go without reading each other. */
export interface StoredClient extends Omit<Client, 'has_risks'> {
  /** How many of its services and resources are a risk now. */
  readonly risks: number;
}

export const clientEntity = entity<StoredClient>('CLIENT', {
  filters: ['status'],
  json: ['metadata'],
  unique: { slug: exactly },
});

export const actionEntity = entity<ClientAction>('ACTION', { json: ['details'], byTime: true });

/** The client as answered. */
export const toClient = (stored: StoredClient): Client => ({ ...stored, has_risks: stored.risks > 0 });
