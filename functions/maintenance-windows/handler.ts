import { pipeline } from '#http';
import { maintenanceWindows } from './contract.ts';
import { windowOperations } from './operations.ts';

export const handler = pipeline(maintenanceWindows, windowOperations);
