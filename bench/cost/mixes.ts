/** Mixes of requests: operations by their share, named as in `docs/data-model.md`. */
export interface Mix {
  readonly name: string;
  readonly about: string;
  readonly shares: Readonly<Record<string, number>>;
}

export const MIXES: readonly [first: Mix, ...others: Mix[]] = [
  {
    name: 'read-heavy',
    about:
      'A portal: people look at clients, services, resources and tickets, and change one thing in twenty requests.',
    shares: {
      'GET /clients/{id}': 0.15,
      'GET /services/{id}': 0.1,
      'GET /resources/{id}': 0.15,
      'GET /clients': 0.1,
      'GET /services?client_id=…': 0.1,
      'GET /resources?client_id=…': 0.2,
      'GET /tickets?status=…': 0.15,
      'POST /tickets': 0.02,
      'POST /tickets/{id}/messages': 0.02,
      'PATCH /tickets/{id}': 0.01,
    },
  },
  {
    name: 'write-heavy',
    about: 'An inventory that is kept in step with another system: six requests in ten create, change or delete.',
    shares: {
      'GET /resources/{id}': 0.2,
      'GET /resources?client_id=…': 0.2,
      'POST /resources': 0.2,
      'PATCH /resources/{id}': 0.25,
      'DELETE /resources/{id}': 0.1,
      'POST /services': 0.05,
    },
  },
  {
    name: 'monitoring',
    about:
      'Agents that report: log entries, samples of usage, changes of health and webhooks, and a screen that looks on.',
    shares: {
      'POST /logs/ingest': 0.35,
      'POST /resources/{id}/history': 0.3,
      'PATCH /resources/{id}, status, health and usage': 0.15,
      'POST /webhooks/{app_code}': 0.1,
      'GET /resources?client_id=…': 0.05,
      'GET /logs': 0.05,
    },
  },
];
