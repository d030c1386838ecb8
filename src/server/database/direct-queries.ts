import type { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { Prisma, type PrismaClient } from '../prisma/client';
import { statementName } from './prepared';

type Parser = (text: string) => unknown;
type Connect = (adapter: PrismaPg) => PrismaClient;
type Pool = { current: pg.Pool | undefined };

const { builtins, getTypeParser } = pg.types;
const ARRAY_OF = { bytea: 1001, int8: 1016, timestamp: 1115, date: 1182, timestamptz: 1185, numeric: 1231 } as const;
const TEXT_ARRAY: number = 1009;
const OFFSET = /[+-]\d\d(:\d\d)?$/;

const toInstant: Parser = (text) => new Date(`${text.replace(' ', 'T').replace(OFFSET, '')}Z`);
const toDay: Parser = (text) => new Date(text);
const toBytes: Parser = (text) => new Uint8Array(getTypeParser(builtins.BYTEA)(text));
const toDecimal: Parser = (text) => new Prisma.Decimal(text);

/** Types whose values differ between Prisma and the driver, as Prisma has them. Sessions are in UTC. */
const PARSERS = new Map<number, Parser>([
  [builtins.INT8, BigInt],
  [builtins.OID, BigInt],
  [builtins.NUMERIC, toDecimal],
  [builtins.TIMESTAMP, toInstant],
  [builtins.TIMESTAMPTZ, toInstant],
  [builtins.DATE, toDay],
  [builtins.BYTEA, toBytes],
  [builtins.INTERVAL, String],
  [ARRAY_OF.int8, arrayOf(BigInt)],
  [ARRAY_OF.numeric, arrayOf(toDecimal)],
  [ARRAY_OF.timestamp, arrayOf(toInstant)],
  [ARRAY_OF.timestamptz, arrayOf(toInstant)],
  [ARRAY_OF.date, arrayOf(toDay)],
  [ARRAY_OF.bytea, arrayOf(toBytes)],
]);

const types = {
  getTypeParser: (oid: number): Parser => PARSERS.get(oid) ?? getTypeParser(oid),
};

/**
 * A client whose `$queryRaw` outside of transactions asks the driver itself, on the same connections: Prisma's way through its
 * adapter costs more than the query. Values and prepared statements are the same; errors are the driver's.
 */
export function withDirectQueries(adapter: PrismaPg, connect: Connect): PrismaClient {
  const pool: Pool = { current: undefined };
  const client = connect(followed(adapter, pool));

  async function queryRaw(first: TemplateStringsArray | Prisma.Sql, ...values: unknown[]): Promise<unknown[]> {
    if (!pool.current) await client.$connect();
    const sql = first instanceof Prisma.Sql ? first : Prisma.sql(first, ...values);
    const { text } = sql;
    const name = statementName({ sql: text });
    const { rows } = await (pool.current as pg.Pool).query({ name, text, values: sql.values.map(toParameter), types });
    return rows;
  }

  // Clients of transactions are made from `client` itself, whose `$queryRaw` runs in the transaction.
  return new Proxy(client, {
    get: (target, key) => (key === '$queryRaw' ? queryRaw : Reflect.get(target, key, target)),
  });
}

/** The adapter, which keeps the pool of its present connection in `pool`. */
function followed(adapter: PrismaPg, pool: Pool): PrismaPg {
  const connect = adapter.connect.bind(adapter);
  return Object.assign(adapter, {
    async connect() {
      const connection = await connect();
      const dispose = connection.dispose.bind(connection);
      pool.current = connection.underlyingDriver() as pg.Pool;
      return Object.assign(connection, {
        async dispose() {
          pool.current = undefined;
          await dispose();
        },
      });
    },
  });
}

function toParameter(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Prisma.Decimal) return value.toString();
  return Array.isArray(value) ? value.map(toParameter) : value;
}

function arrayOf(parse: Parser): Parser {
  const toTexts = getTypeParser(TEXT_ARRAY) as (text: string) => (string | null)[];
  return (text) => toTexts(text).map((item) => (item === null ? null : parse(item)));
}
