import type { Role } from '@/lib/access/roles';
import { currentTimeZone } from '@/lib/time/time-zone';
import { actionItems } from './action-items';
import type { Command, DeletedRecord, Directory, DocsSection, Message, Operation, PaletteItem } from './item';
import { apart, grouped } from './match';
import { messageFilter } from './message-filter';
import { namedDomains } from './named-domains';
import { namedRecord } from './named-record';
import { domainWithPages, pageItems } from './page-items';
import { permitted, type RecordAction, restoreItem } from './record-actions';
import { docsItem, filterItem, messageItem, operationItem, recordItems, searchItem } from './record-items';

type Found = Directory & {
  words: string;
  role: Role | undefined;
  commands: Command[];
  messages: Message[];
  deleted: DeletedRecord[];
  operations: Operation[];
  sections: DocsSection[];
};

/**
 * The results for the words: what they ask for of a record or of the messages, what has exactly that name, what can be done,
 * pages, and records by how well they match.
 */
export function paletteItems({
  words,
  role,
  commands,
  messages,
  deleted,
  operations,
  sections,
  ...directory
}: Found): PaletteItem[] {
  const text = words.toLowerCase();
  const named = namedDomains(text, directory);
  const actions = actionItems(text, role, commands, named);
  const [exactPages, otherPages] = pageItems(text, role, named);
  if (text === '') return [...exactPages, ...otherPages, ...actions];
  const { verbs, name } = namedRecord(text);
  const records = recordItems(name, directory);
  const [exactRecords, otherRecords] = apart(records, (record) => record.name === name);
  const itemsOf = (all: RecordAction[]) => permitted(all, role).map(({ item }) => item);
  const best = [
    ...exactPages,
    ...exactRecords.flatMap(({ domain, item, actions: all }) =>
      domain ? domainWithPages(domain) : [item, ...itemsOf(all)],
    ),
  ];
  const filter = messageFilter(text, new Date(), currentTimeZone());
  const filters = filter ? [filterItem(filter)] : [];
  const all = [
    ...(filter?.isWhole ? filters : []),
    ...itemsOf(records.flatMap((record) => record.actions).filter(({ verb }) => verbs.includes(verb))),
    ...deleted.map(restoreItem),
    ...best.map((item) => ({ ...item, group: 'Best match' as const })),
    ...actions,
    ...otherPages,
    ...otherRecords.map(({ item }) => item),
    ...messages.map(messageItem),
    ...filters,
    ...operations.map(operationItem),
    ...sections.map(docsItem),
    searchItem(words),
  ];
  return grouped(all.filter(({ key }, index) => all.findIndex((item) => item.key === key) === index));
}
