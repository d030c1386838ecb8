import type { KeyboardEvent } from 'react';

/** The key of a Safari event that ends the input of a character, such as a Japanese one, and is dispatched after its end. */
const PROCESSED_KEY_CODE = 229;

/** Whether a key goes to an input method, such as Enter that confirms Japanese characters. */
export function isComposing({ nativeEvent: { isComposing, keyCode } }: KeyboardEvent): boolean {
  return isComposing || keyCode === PROCESSED_KEY_CODE;
}
