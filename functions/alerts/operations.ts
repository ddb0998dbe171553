import type { Operations } from '#http';
import { fromAlertmanager, fromCustodia } from './alert.ts';
import type { alerts } from './contract.ts';
import { receiveAlerts } from './receive.ts';

export const alertOperations: Operations<typeof alerts> = {
  receiveAlertsOfAlertmanager: async ({ body, ...sent }) => {
    const given = body.alerts.map((alert) => alert && fromAlertmanager(alert));
    return { body: { alerts: [...(await receiveAlerts(given, sent))] } };
  },

  receiveAlert: async ({ body, ...sent }) => ({
    body: { alerts: [...(await receiveAlerts([fromCustodia(body)], sent))] },
  }),
};
