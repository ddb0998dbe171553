import { entity, queue, storedAs } from '#table';
import { type MaintenanceWindow, maintenanceWindow } from './contract.ts';

/** A window as stored. */
export interface StoredWindow extends MaintenanceWindow {
  /** As `functions/clients/maintenance.ts` reads them. */
  readonly spans: readonly string[];
}

export const windowEntity = entity('MAINTENANCE_WINDOW', storedAs<StoredWindow>(maintenanceWindow), {
  indexes: [queue('spans')],
  journaled: { unnamed: ['spans'] },
});
