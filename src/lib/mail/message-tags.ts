export const MAX_TAGS = 10;
export const MAX_TAG_LENGTH = 256;

/** Tags of a message by name. */
export type Tags = Record<string, string>;

export const TAG_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,255}$/;
export const TAG_VALUE = /^[A-Za-z0-9_.@-]{1,256}$/;

export const TAG_NAME_RULE = `Use 1 to ${MAX_TAG_LENGTH} letters, digits, _ and - in the name of a tag, a letter or digit first.`;
export const TAG_VALUE_RULE = `Use 1 to ${MAX_TAG_LENGTH} letters, digits and _ - . @ in the value of a tag.`;

/** A tag in one text, `name:value`, as lists are filtered by it. */
export function tagText(name: string, value: string): string {
  return `${name}:${value}`;
}

/** The entry among the tags of a message that finds it by its template. No tag of a sender has a name with this character. */
export function templateTag(templateId: string): string {
  return `@template:${templateId}`;
}
