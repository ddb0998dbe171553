import * as z from 'zod';
import { contract, declared, MAX_RESPONSE, type Route, route } from '#contract';
import * as field from '#contract/field';

/**
 * 200 with a text that is not JSON, with an example of each media type that it may have. The operation says which one
 * it has.
 */
const okText = (description: string, media: NonNullable<Route['response']['media']>) =>
  Object.assign(
    declared(() => z.string().max(MAX_RESPONSE)),
    { status: 200 as const, description, media },
  );

const PAGE = '<!doctype html><html lang="en">…</html>';

export const docs = contract({
  name: 'docs',
  tag: 'Documentation',
  description: 'How to use this service, for people.',
  routes: {
    getDocs: route('GET', '/api/v1/docs', {
      summary: 'Read the documentation',
      description: 'The first page for people: how to begin. It leads to the others.',
      extension: true,
      auth: 'none',
      response: okText('The page.', { 'text/html': PAGE }),
    }),
    getDocsFile: route('GET', '/api/v1/docs/{file}', {
      summary: 'Read a page of the documentation, or a file of a page',
      description:
        'The pages are `reference`, in which every operation can be tried, `problems`, which explains the `type` ' +
        'of every problem, and `guides`. Names of styles and scripts change with their content, so they can be ' +
        'kept for a year.',
      extension: true,
      auth: 'none',
      params: () => ({
        file: field.bounded(100).min(1).describe('Name of the page or file.').meta({ example: 'problems' }),
      }),
      response: okText('The page or file.', {
        'text/html': PAGE,
        'text/css': 'body { margin: 0 }',
        'text/javascript': 'export {};',
      }),
      errors: ['not-found'],
    }),
  },
});
