import { z } from 'zod';
import { isDomainName, isUrlOf } from './formats.mjs';

/** @typedef {'days' | 'hours' | 'MB' | 'requests per minute'} SettingUnit */

/**
 * The traits that a kind of value gives to a setting. The messages of its schema, which reads the value from the text of the environment,
 * continue the setting's name: "must be true or false."
 * @typedef {object} Traits
 * @property {'integer' | 'boolean' | 'string' | 'list'} type
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {SettingUnit} [unit]
 * @property {string} [zeroText] a sentence about the value 0, where it isn't a small amount
 * @property {readonly string[]} [options] all the values there are
 * @property {string} [optionsText] a sentence about them, where the console has other words for them
 * @property {string} [example] value in `.env.example`, instead of the default
 * @property {string} [ifUnset] what applies without a value, where it isn't a constant
 * @property {string} [emptyText] how an empty list is written, where an empty text means the default
 */

/**
 * @typedef {object} Notes
 * @property {string} [details] sentences that follow the description in `.env.example`
 * @property {string} [see] a page in docs
 * @property {boolean} [hasSecretPath] whether the path of the URL works like a password
 */

/**
 * @template {Record<string, object>} Entries
 * @param {import('../../lib/setting-groups').SettingGroup} group
 * @param {Entries} entries
 */
export function inGroup(group, entries) {
  const grouped = Object.entries(entries).map(([name, entry]) => [name, { ...entry, group }]);
  return /** @type {{ [Name in keyof Entries]: Entries[Name] & { group: typeof group } }} */ (
    Object.fromEntries(grouped)
  );
}

/** Declares a setting that an admin can change while Postroom runs. */
export const mutable = declaring({ isMutable: true, isSecret: false });

/** Declares a setting of the environment, which needs a restart. */
export const fixed = declaring({ isMutable: false, isSecret: false });

/** Declares one that, besides, is shown only as set or not set, or without its password if it is a URL. */
export const secret = declaring({ isMutable: false, isSecret: true });

/** @param {{ isMutable: boolean, isSecret: boolean }} access */
function declaring(access) {
  /**
   * @template {z.ZodType} Schema
   * @param {string} label
   * @param {string} description
   * @param {Traits & { schema: Schema }} kind
   * @param {Notes} [notes]
   */
  return (label, description, kind, notes) => ({ ...kind, ...notes, ...access, label, description });
}

/** @param {{ min: number, max: number, default: number, unit?: SettingUnit, zeroText?: string }} limits */
export function integer({ min, max, default: fallback, ...traits }) {
  const message = `must be a whole number from ${min} to ${max}; the default is ${fallback}.`;
  const schema = z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .default(fallback);
  return kind('integer', schema, { minimum: min, maximum: max, ...traits });
}

/** @param {{ min: number, default: number, zeroText?: string }} limits */
export function days(limits) {
  return integer({ max: 3650, unit: 'days', ...limits });
}

/** @param {boolean} fallback */
export function boolean(fallback) {
  const schema = z
    .enum(['true', 'false'], `must be true or false; the default is ${fallback}.`)
    .transform((value) => value === 'true')
    .default(fallback);
  return kind('boolean', schema);
}

/**
 * One text, in whatever form the schema gives it.
 * @template {z.ZodType} Schema
 * @param {Schema} schema
 * @param {Partial<Traits>} [traits]
 */
export function text(schema, traits) {
  return kind('string', schema, traits);
}

/**
 * One of several texts.
 * @template {string} Option
 * @param {readonly Option[]} options
 * @param {NoInfer<Option>} fallback
 * @param {string} [claim] what it must be
 * @param {string} [optionsText]
 */
export function oneOf(
  options,
  fallback,
  claim = `be one of ${options.join(', ')}; the default is ${fallback}`,
  optionsText,
) {
  return text(z.enum(options, `must ${claim}.`).default(/** @type {never} */ (fallback)), { options, optionsText });
}

/**
 * A text without a default.
 * @param {string} claim what it must be, up to the example: "be an email address such as"
 * @param {(text: string) => boolean} isValid
 * @param {{ example: string, ifUnset?: string, normalize?: (text: string) => string }} traits
 */
export function optional(claim, isValid, { example, ifUnset, normalize = (text) => text }) {
  const alternative = ifUnset ? `; leave it out for ${ifUnset}` : '';
  const schema = z.string().refine(isValid, `must ${claim} ${example}${alternative}.`).transform(normalize);
  return text(schema.optional(), { example, ifUnset });
}

/**
 * A URL without a default.
 * @param {string[]} protocols
 * @param {{ example: string, ifUnset?: string, normalize?: (text: string) => string }} traits
 */
export function url(protocols, traits) {
  const { normalize = (text) => text } = traits;
  const isValid = (/** @type {string} */ value) => isUrlOf(normalize(value), protocols);
  return optional(`be a ${protocols.join('// or ')}// URL such as`, isValid, traits);
}

/** A secret without a default. @param {number} minLength @param {string} command prints one @param {string} [ifUnset] */
export function secretText(minLength, command, ifUnset) {
  const message = `is too short: use at least ${minLength} characters ("${command}" generates one).`;
  return text(z.string().min(minLength, message).optional(), { ifUnset });
}

/**
 * A list in one text, empty by default.
 * @param {string} claim what it must be, up to the example: "list origins separated by commas, such as"
 * @param {(item: string) => boolean} isValid
 * @param {{ example: string, ifUnset?: string, max?: number, normalize?: (item: string) => string }} traits
 */
export function list(claim, isValid, { max = Number.POSITIVE_INFINITY, normalize = (item) => item, ...traits }) {
  const schema = commaSeparated()
    .refine((items) => items.length <= max && items.every(isValid), `must ${claim} ${traits.example}.`)
    .transform((items) => items.map(normalize));
  return kind('list', schema, traits);
}

/** A list of domain names, which is empty if it is `off`. @param {string} fallback */
export function domainNames(fallback) {
  const message = `must list domain names separated by commas, or be off; the default is ${fallback}.`;
  const schema = commaSeparated(fallback)
    .transform((names) => (names.join() === 'off' ? [] : names.map((one) => one.toLowerCase())))
    .refine((names) => names.every(isDomainName), message);
  return kind('list', schema, { emptyText: 'off' });
}

/** Items of one text, without the spaces around them. */
export function commaSeparated(fallback = '') {
  return z
    .string()
    .default(fallback)
    .transform((list) =>
      list
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean),
    );
}

/**
 * @template {z.ZodType} Schema
 * @param {Traits['type']} type
 * @param {Schema} schema
 * @param {Partial<Traits>} [traits]
 * @returns {Traits & { schema: Schema }}
 */
function kind(type, schema, traits) {
  return { ...traits, type, schema };
}
