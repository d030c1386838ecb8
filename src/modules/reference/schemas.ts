/** A JSON schema of the OpenAPI document, as far as the generator writes it. */
export type Schema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
};

/** A parameter, or a field of a body or a response. */
export type Field = {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
  /** Limits and the default, such as "1 to 200". */
  facts: string[];
  values: string[];
  fields: Field[];
  /** Whether it isn't a field itself, but one of several objects with fields of their own. */
  isVariant?: boolean;
};

export type Schemas = Record<string, Schema>;

const MAX_PATTERN_LENGTH = 60;

/** Returns the schema without reference, and what it may be beside null. */
export function variantsOf(schema: Schema, schemas: Schemas): { variants: Schema[]; isNullable: boolean } {
  const target = schema.$ref ? targetOf(schema.$ref, schemas) : undefined;
  const { $ref: _, ...own } = schema;
  const resolved = target ? { ...target, ...own } : own;
  if (!resolved.anyOf) return { variants: [resolved], isNullable: resolved.type === 'null' };
  const all = resolved.anyOf.map((each) => variantsOf(each, schemas));
  const variants = all.flatMap((each) => each.variants).filter(({ type }) => type !== 'null');
  return { variants, isNullable: all.some((each) => each.isNullable) };
}

/** Returns the fields of an object, of the objects in a list, or its variants if there are several. A schema within itself has none. */
export function fieldsOf(schema: Schema | undefined, schemas: Schemas, within: readonly string[] = []): Field[] {
  if (!schema) return [];
  const { $ref, properties = {}, required, items, anyOf = [], allOf = [], additionalProperties } = schema;
  if ($ref) return within.includes($ref) ? [] : fieldsOf(targetOf($ref, schemas), schemas, [...within, $ref]);
  const own = Object.entries(properties).map(([name, property]) =>
    fieldOf(name, property, required?.includes(name) ?? false, schemas, within),
  );
  const entry =
    typeof additionalProperties === 'object' ? [entryOf(schema, additionalProperties, schemas, within)] : [];
  const variants = anyOf.map((each) => fieldsOf(each, schemas, within)).filter((fields) => fields.length > 0);
  const inner = [items, ...allOf].flatMap((each) => fieldsOf(each, schemas, within));
  if (variants.length === 1) inner.push(...variants.flat());
  else inner.push(...variants.map((fields, index) => variantOf(index + 1, fields)));
  return [...own, ...entry, ...inner].filter(
    ({ name }, index, all) => all.findIndex((one) => one.name === name) === index,
  );
}

/** Returns the entries of a map as a field, with the limits of their names. */
function entryOf({ propertyNames = {} }: Schema, value: Schema, schemas: Schemas, within: readonly string[]): Field {
  const field = fieldOf('<name>', value, true, schemas, within);
  return { ...field, facts: [...factsOf(propertyNames).map((fact) => `name ${fact}`), ...field.facts] };
}

function variantOf(number: number, fields: Field[]): Field {
  const name = `Variant ${number}`;
  return { name, type: 'object', isRequired: true, description: '', facts: [], values: [], fields, isVariant: true };
}

function targetOf(ref: string, schemas: Schemas): Schema | undefined {
  return schemas[ref.split('/').at(-1) ?? ''];
}

export function fieldOf(
  name: string,
  schema: Schema,
  isRequired: boolean,
  schemas: Schemas,
  within: readonly string[] = [],
): Field {
  const { variants, isNullable } = variantsOf(schema, schemas);
  const types = [...new Set(variants.map((variant) => typeOf(variant, schemas)))];
  const [first = {}] = variants;
  return {
    name,
    type: [...types, ...(isNullable && first.type !== 'null' ? ['null'] : [])].join(' or '),
    isRequired,
    description: descriptionOf(schema.description ?? first.description, types),
    facts: [...factsOf({ ...first, ...schema }), ...factsOf(first.items ?? {}).map((fact) => `each ${fact}`)],
    values: (first.enum ?? first.items?.enum ?? []).map(String),
    fields: fieldsOf(schema, schemas, within),
  };
}

/** Returns the description unless it only names the type. */
function descriptionOf(description: string | undefined, types: readonly string[]): string {
  return description === undefined || types.includes(description.toLowerCase()) ? '' : description;
}

function typeOf(schema: Schema, schemas: Schemas): string {
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') {
    const [item = {}] = schema.items ? variantsOf(schema.items, schemas).variants : [];
    return `array of ${pluralOf(typeOf(item, schemas))}`;
  }
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const types = variantsOf(additionalProperties, schemas).variants.map((value) => typeOf(value, schemas));
    return `map of string to ${[...new Set(types)].join(' or ')}`;
  }
  const { type, format } = schema;
  // int64 is for programs.
  return (type === 'string' ? format : undefined) ?? type ?? (schema.enum ? 'string' : 'any');
}

function pluralOf(type: string): string {
  return type === 'any' ? 'anything' : `${type}s`;
}

function factsOf(schema: Schema): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, maxProperties, format, pattern } = schema;
  const isShort = pattern !== undefined && format === undefined && pattern.length <= MAX_PATTERN_LENGTH;
  return [
    rangeOf(minimum, maximum, ''),
    // A text that isn't empty needs no mention.
    rangeOf(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, ' characters'),
    rangeOf(minItems, maxItems, ' items'),
    rangeOf(undefined, maxProperties, ' entries'),
    isShort ? `matches \`${pattern}\`` : '',
    defaultOf(schema),
    exampleIn(schema),
  ].filter((fact) => fact !== '');
}

function defaultOf({ default: value }: Schema): string {
  if (value === undefined) return '';
  return value === '' ? 'default empty' : `default \`${JSON.stringify(value).replaceAll('"', '')}\``;
}

/** Returns an example that fits on a line. Others are shown with the code. */
function exampleIn({ examples = [] }: Schema): string {
  const [example] = examples;
  const isShort = ['string', 'number'].includes(typeof example) && !String(example).includes('\n');
  return isShort ? `for example \`${example}\`` : '';
}

function rangeOf(min: number | undefined, max: number | undefined, unit: string): string {
  const text = (value: number) => value.toLocaleString('en-US');
  if (min === undefined) return max === undefined ? '' : `at most ${text(max)}${unit}`;
  if (max === undefined) return `at least ${text(min)}${unit}`;
  return min === max ? `${text(min)}${unit}` : `${text(min)} to ${text(max)}${unit}`;
}
