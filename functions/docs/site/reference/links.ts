import { EXAMPLE_ADDRESS } from '../layout.ts';

/** Links of the reference. Its parts link to `#ClientRecord`, wherever that is described. */

export interface ReferencePage {
  /** Its name in the address: `reference-clients`. */
  readonly name: string;
  readonly title: string;
  readonly main: string;
}

/** The pages with links that lead to the page that has the anchor. @throws TypeError for an anchor that none has */
export function withLinks(pages: readonly ReferencePage[]): readonly ReferencePage[] {
  const places = new Map(pages.flatMap(({ name, main }) => anchorsIn(main).map((id) => [id, name] as const)));
  return pages.map((page) => {
    const own = new Set(anchorsIn(page.main));
    const main = page.main.replace(/ href="#([^"]+)"/g, (link, id: string) => {
      if (own.has(id)) return link;
      const place = places.get(id);
      if (place === undefined) throw new TypeError(`no page has #${id}`);
      return ` href="${place}#${id}"`;
    });
    return { ...page, main };
  });
}

const anchorsIn = (html: string): readonly string[] => Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id = '']) => id);

/** A script replaces the address by that of the page's API, and its part in front of `/api/v1`. */
export const withAddress = (html: string): string => {
  const base = EXAMPLE_ADDRESS.replace('/api/v1', '');
  const withBase = (text: string): string => text.replaceAll(base, `<span data-base>${base}</span>`);
  return html.split(EXAMPLE_ADDRESS).map(withBase).join(`<span data-address>${EXAMPLE_ADDRESS}</span>`);
};
