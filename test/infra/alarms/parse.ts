/** Expressions of CloudWatch's metric math, as far as alarms use them. What is not known here is an error, as an unknown function is to CloudWatch. */
export type Expression =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'array'; readonly items: readonly Expression[] }
  | { readonly kind: 'call'; readonly name: string; readonly given: readonly Expression[] }
  | { readonly kind: 'operation'; readonly operator: Operator; readonly sides: readonly [Expression, Expression] };

/** From those that bind least to those that bind most. */
const OPERATORS = [
  ['OR', '||'],
  ['AND', '&&'],
  ['==', '!=', '<=', '>=', '<', '>'],
  ['+', '-'],
  ['*', '/'],
  ['^'],
] as const;

export type Operator = (typeof OPERATORS)[number][number];

const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(\|\||&&|==|!=|<=|>=|[-+*/^<>()[\],]))/y;

/** @throws SyntaxError */
export function parse(text: string): Expression {
  const tokens = tokensOf(text);
  let next = 0;
  const take = (wanted?: string): string => {
    const token = tokens[next++];
    if (token === undefined || (wanted !== undefined && token !== wanted))
      throw new SyntaxError(`${text}: ${wanted ?? 'something'} is missing before ${token ?? 'the end'}`);
    return token;
  };

  const list = (end: string): Expression[] => {
    const items = [operation(0)];
    while (tokens[next] === ',') {
      take(',');
      items.push(operation(0));
    }
    take(end);
    return items;
  };

  const single = (): Expression => {
    const token = take();
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token) };
    if (token === '[') return { kind: 'array', items: list(']') };
    if (token === '(') {
      const inner = operation(0);
      take(')');
      return inner;
    }
    if (!/^[A-Za-z_]/.test(token)) throw new SyntaxError(`${text}: ${token} stands where a value should`);
    if (tokens[next] !== '(') return { kind: 'id', id: token };
    take('(');
    return { kind: 'call', name: token, given: list(')') };
  };

  const operation = (level: number): Expression => {
    const operators: readonly string[] | undefined = OPERATORS[level];
    if (operators === undefined) return single();
    let left = operation(level + 1);
    while (operators.includes(tokens[next] ?? '')) {
      const operator = take() as Operator;
      left = { kind: 'operation', operator, sides: [left, operation(level + 1)] };
    }
    return left;
  };

  const whole = operation(0);
  if (next < tokens.length) throw new SyntaxError(`${text}: ${tokens[next]} is too much`);
  return whole;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(text)
      ?.slice(1)
      .find((each) => each !== undefined);
    if (token === undefined) throw new SyntaxError(`${text}: nothing begins with ${text.slice(at)}`);
    tokens.push(token);
  }
  return tokens;
}

/** The ids in an expression, each with the functions that it stands in, the innermost last. */
export function idsIn(
  expression: Expression,
  within: readonly string[] = [],
): readonly (readonly [string, readonly string[]])[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'id':
      return [[expression.id, within]];
    case 'array':
      return expression.items.flatMap((each) => idsIn(each, within));
    case 'call':
      return expression.given.flatMap((each) => idsIn(each, [...within, expression.name]));
    case 'operation':
      return expression.sides.flatMap((each) => idsIn(each, within));
  }
}
