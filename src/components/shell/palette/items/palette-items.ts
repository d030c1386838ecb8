import type { Role } from '@/lib/roles';
import { actionItems } from './action-items';
import type { Command, Directory, Message, PaletteItem } from './item';
import { apart } from './match';
import { namedDomains } from './named-domains';
import { domainWithPages, pageItems } from './page-items';
import { messageItem, recordItems, searchItem } from './record-items';

type Found = Directory & { words: string; role: Role | undefined; commands: Command[]; messages: Message[] };

/** The results for the words: what has exactly that name, what can be done, pages, and records by how well they match. */
export function paletteItems({ words, role, commands, messages, ...directory }: Found): PaletteItem[] {
  const text = words.toLowerCase();
  const named = namedDomains(text, directory);
  const actions = actionItems(text, role, commands, named);
  const [exactPages, otherPages] = pageItems(text, role, named);
  if (text === '') return [...exactPages, ...otherPages, ...actions];
  const [exactRecords, otherRecords] = apart(recordItems(text, directory), ({ name }) => name === text);
  const best = [
    ...exactPages,
    ...exactRecords.flatMap(({ domain, item }) => (domain ? domainWithPages(domain) : item)),
  ];
  const all = [
    ...best.map((item) => ({ ...item, group: 'Best match' as const })),
    ...actions,
    ...otherPages,
    ...otherRecords.map(({ item }) => item),
    ...messages.map(messageItem),
    searchItem(words),
  ];
  return all.filter(({ key }, index) => all.findIndex((item) => item.key === key) === index);
}
