// The columns of `messages`.

import type { Column } from './columns.ts';

/** They do not change while the number at the end of `MESSAGE_TABLE.schema` stays. */
export const MESSAGE_COLUMNS = [
  { name: 'path', type: 'word', nullable: false },
  { name: 'record', type: 'integer', nullable: true },
  { name: 'transcript', type: 'integer', nullable: false },
  { name: 'index', type: 'integer', nullable: false },
  { name: 'role', type: 'word', nullable: true },
  { name: 'name', type: 'word', nullable: true },
  { name: 'recipient', type: 'word', nullable: true },
  { name: 'channel', type: 'word', nullable: false },
  { name: 'explicit_channel', type: 'word', nullable: true },
  { name: 'content_type', type: 'word', nullable: true },
  { name: 'intent', type: 'word', nullable: true },
  { name: 'call_id', type: 'text', nullable: true },
  { name: 'end', type: 'word', nullable: false },
  { name: 'visible', type: 'boolean', nullable: false },
  { name: 'from', type: 'integer', nullable: false },
  { name: 'to', type: 'integer', nullable: false },
  { name: 'body_from', type: 'integer', nullable: false },
  { name: 'body_to', type: 'integer', nullable: false },
  { name: 'content', type: 'text', nullable: false },
] as const satisfies readonly Column[];

export const MESSAGE_TABLE = { schema: 'openchatml/messages/1', columns: MESSAGE_COLUMNS } as const;
