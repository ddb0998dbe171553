/** The part of marked 4 that is used; the package comes without types. */
declare module 'marked' {
  interface Options {
    readonly mangle?: boolean;
    readonly headerIds?: boolean;
    readonly renderer?: object;
    readonly gfm?: boolean;
  }
  export const marked: {
    parse(markdown: string, options?: Options): string;
    parseInline(markdown: string, options?: Options): string;
    readonly Renderer: new () => object;
  };
}
