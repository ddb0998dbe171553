/** Examples of the OpenAPI document. */

export const actionExample = {
  id: '1a1d416e-34c7-4f5a-92d7-4c6e8b0a1d3f',
  service_id: '0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80',
  action_type: 'restart',
  status: 'completed',
  created_at: '2026-11-20T09:30:00.000Z',
  parameters: { graceful: true },
  run: false,
  scheduled_for: null,
  attempts: 0,
  leased_until: null,
  progress: null,
  result: null,
  log: null,
  finished_at: null,
};

/** One that a runner has claimed. */
export const runExample = {
  ...actionExample,
  status: 'running',
  run: true,
  attempts: 1,
  leased_until: '2026-11-20T09:31:00.000Z',
};
