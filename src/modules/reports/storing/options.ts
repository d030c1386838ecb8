export type StoreOptions = { domainId: string; source: 'mail' | 'upload'; at: Date };
