import * as z from 'zod';

/** The kinds of settings: how the text of a setting is read. */

const VAULT = /^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/;

/** On the command line every context value is a string. */
export function flag(standard: boolean) {
  return z.union([z.boolean(), z.stringbool()]).default(standard);
}

/** On the command line `2,1`; in `cdk.json` it may be a number. */
export function generations() {
  return z.coerce
    .string()
    .regex(/^[1-9]\d{0,5}(,[1-9]\d{0,5})?$/, 'one or two different whole numbers from 1 on, with a comma between')
    .transform((text) => text.split(',') as [signing: string, ...others: string[]])
    .refine((names) => new Set(names).size === names.length, 'the same number twice');
}

/**
 * A new table on demand has this:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html
 */
const NEW_TABLE = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4_000 } as const;

export function warmThroughput() {
  return z
    .string()
    .regex(/^[1-9]\d{0,8}:[1-9]\d{0,8}$/, 'read and write units a second, as in 24000:8000')
    .transform((text) => {
      const [readUnitsPerSecond = 0, writeUnitsPerSecond = 0] = text.split(':').map(Number);
      return { readUnitsPerSecond, writeUnitsPerSecond };
    })
    .refine(
      (units) =>
        units.readUnitsPerSecond >= NEW_TABLE.readUnitsPerSecond &&
        units.writeUnitsPerSecond >= NEW_TABLE.writeUnitsPerSecond,
      'less than a new table has, which is 12000:4000',
    )
    .optional();
}

export function vaults() {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.string().regex(VAULT, 'ARNs of vaults of AWS Backup, with commas between')))
    .default([]);
}

/** ARNs of roles and users of IAM: `arn:aws:iam::111122223333:role/admin,arn:aws:iam::111122223333:user/eva`. */
export function principals() {
  return z
    .string()
    .transform((text) => text.split(','))
    .refine((arns) => arns.every((arn) => /^arn:[\w-]+:iam::\d{12}:(role|user)\/[\w+=.@/*-]+$/.test(arn)), {
      message: 'ARNs of roles and users of IAM, with commas between',
    })
    .default([]);
}

/** Also a setting of the roles of the pipeline (`github-roles.ts`). */
export function boundary() {
  return z
    .string()
    .regex(/^arn:[\w-]+:iam::(\d{12}|aws):policy\/[\w+=,.@/-]+$/, 'the ARN of a managed policy of IAM')
    .optional();
}

export function whole(least: number, most: number) {
  return z.coerce.number().int().min(least).max(most);
}
