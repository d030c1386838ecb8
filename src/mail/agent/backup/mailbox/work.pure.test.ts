import { expect, it } from 'vitest';
import { isMailboxFolder } from './work';

const ID = '01a21e85-b9a4-779f-b224-a10b745ae828';

it.each([
  [`shop.example/ann/${ID}`, true],
  [`shop.example/o'neil+x/${ID}`, true],
  [`shop.example/../${ID}`, false],
  [`../ann/${ID}`, false],
  [`./ann/${ID}`, false],
  [`shop.example/ann/../${ID}`, false],
  [`/shop.example/ann/${ID}`, false],
  [`shop.example/ann/${ID}/..`, false],
  [`shop.example/ann\0/${ID}`, false],
  ['shop.example/ann', false],
])('%j is the folder of a mailbox: %s', (folder, expected) => {
  expect(isMailboxFolder(folder)).toBe(expected);
});
