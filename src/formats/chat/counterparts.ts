// Images and files in contents, as OpenAI's messages, items of Responses and Anthropic's blocks have them: what a part
// of one form is in another. Data is not looked into; a data URL is base64 behind its type.

import type { MediaPart } from '../../model/data.ts';
import type { Loss } from '../loss.ts';
import { type Fields, isObject, tellOtherFields } from './fields.ts';

/** Forms whose contents may be lists of parts. */
export type PartsForm = MediaPart['form'];

/** What a part says in every form. */
interface Image {
  readonly kind: 'image';
  readonly url: string;
  readonly detail?: string;
}
interface File {
  readonly kind: 'file';
  readonly name?: string;
  /** One of them is there: a data URL or base64, an address, the number of an uploaded file at OpenAI. */
  readonly data?: string;
  readonly url?: string;
  readonly id?: string;
}

/** Parts that have counterparts, and those that only Anthropic has: the form that they are of. */
const OWN: ReadonlyMap<unknown, PartsForm> = new Map([
  ['image_url', 'messages'], ['file', 'messages'], ['input_image', 'responses'], ['input_file', 'responses'],
  ['image', 'anthropic'], ['document', 'anthropic'], ['search_result', 'anthropic'], ['container_upload', 'anthropic'],
]);
const OF_ANTHROPIC = /^(?:server_tool_use|mcp_tool_use|[a-z_]+_tool_result)$/;
/** The member that a part has whose type other libraries use, too. */
const HOLDERS: ReadonlyMap<unknown, string> = new Map([['image', 'source'], ['document', 'source'], ['file', 'file']]);

/** The form that a part is of; `given`: that of the record, which has parts of its own. */
export function formOfPart(part: Fields, given: PartsForm): PartsForm {
  const { type } = part;
  const holder = HOLDERS.get(type);
  if (holder !== undefined && !isObject(part[holder])) return given;
  return OWN.get(type) ?? (OF_ANTHROPIC.test(String(type)) ? 'anthropic' : given);
}

/** What the part is in a form; null: nothing. `losses` is told what of it has no place there. */
export function counterpart(
  { part, form }: MediaPart, to: PartsForm, message: number, losses: Loss[],
): Fields | null {
  if (form === to) return part;
  const lost: Loss[] = [];
  const said = READ[form](part, message, lost);
  const written = said === null ? null : WRITE[to](said, message, lost);
  if (written !== null) for (const loss of lost) losses.push(loss);
  return written;
}

/** The members that are there; null: one of them is no text. */
function textsOf<K extends string>(members: Record<K, unknown>): Partial<Record<K, string>> | null {
  const given = Object.entries(members).filter(([, value]) => (value ?? null) !== null);
  return given.every(([, value]) => typeof value === 'string') ? Object.fromEntries(given) as never : null;
}

function asImage(url: unknown, detail: unknown): Image | null {
  const texts = textsOf({ url, detail });
  return texts?.url === undefined ? null : { kind: 'image', ...texts, url: texts.url };
}

/** Null when not exactly one of its sources is there. */
function asFile(name: unknown, data: unknown, url: unknown, id: unknown): File | null {
  const texts = textsOf({ name, data, url, id });
  const sources = [texts?.data, texts?.url, texts?.id].filter((source) => source !== undefined);
  return sources.length === 1 ? { kind: 'file', ...texts } : null;
}

const tellOthers = (fields: Fields, known: readonly string[], message: number, losses: Loss[]): void =>
  tellOtherFields(fields, new Set(known), message, losses, 'content.');

type Read = (part: Fields, message: number, losses: Loss[]) => Image | File | null;

const READ: Readonly<Record<PartsForm, Read>> = {
  messages(part, message, losses) {
    const { type, image_url: image, file } = part;
    if (type === 'image_url') {
      tellOthers(part, ['type', 'image_url'], message, losses);
      if (!isObject(image)) return asImage(image, null);
      tellOthers(image, ['url', 'detail'], message, losses);
      return asImage(image['url'], image['detail']);
    }
    if (type !== 'file' || !isObject(file)) return null;
    tellOthers(part, ['type', 'file'], message, losses);
    tellOthers(file, ['filename', 'file_data', 'file_id'], message, losses);
    return asFile(file['filename'], file['file_data'], null, file['file_id']);
  },

  responses(part, message, losses) {
    const { type } = part;
    if (type === 'input_image') {
      tellOthers(part, ['type', 'image_url', 'detail'], message, losses);
      return asImage(part['image_url'], part['detail']);
    }
    if (type !== 'input_file') return null;
    tellOthers(part, ['type', 'filename', 'file_data', 'file_url', 'file_id'], message, losses);
    return asFile(part['filename'], part['file_data'], part['file_url'], part['file_id']);
  },

  anthropic(part, message, losses) {
    const { type, source, title } = part;
    if (!isObject(source)) return null;
    tellOthers(source, ['type', 'media_type', 'data', 'url'], message, losses);
    const { type: kind, media_type: mediaType, data, url } = source;
    const isData = kind === 'base64' && typeof mediaType === 'string' && typeof data === 'string';
    const dataUrl = isData ? `data:${mediaType};base64,${data}` : null;
    const address = kind === 'url' ? url : null;
    if (type === 'image') {
      tellOthers(part, ['type', 'source'], message, losses);
      return asImage(dataUrl ?? address, null);
    }
    if (type !== 'document') return null;
    tellOthers(part, ['type', 'source', 'title'], message, losses);
    return asFile(title, dataUrl, address, null);
  },
};

/** What Anthropic takes as data, with its type and where the data begins. */
const IMAGE_DATA = /^data:(image\/(?:jpeg|png|gif|webp));base64,/;
const PDF_DATA = /^data:(application\/pdf);base64,/;
const ADDRESS = /^https?:\/\//;
const PDF_NAME = /\.pdf$/i;

function dataSource(url: string, pattern: RegExp): Fields | null {
  const [begin, mediaType] = pattern.exec(url) ?? [];
  return begin === undefined ? null : { type: 'base64', media_type: mediaType, data: url.slice(begin.length) };
}

const urlSource = (url: string): Fields | null => (ADDRESS.test(url) ? { type: 'url', url } : null);

const isPdf = ({ name = '', url = '' }: File): boolean =>
  PDF_NAME.test(name) || PDF_NAME.test(url.split(/[?#]/, 1)[0]!);

type Write = (said: Image | File, message: number, losses: Loss[]) => Fields | null;

const WRITE: Readonly<Record<PartsForm, Write>> = {
  messages(said) {
    if (said.kind === 'image') {
      const { url, detail } = said;
      return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
    }
    const { name, data, url, id } = said;
    if (url !== undefined) return null;
    const source = data === undefined ? { file_id: id } : { file_data: data };
    return { type: 'file', file: { ...(name !== undefined && { filename: name }), ...source } };
  },

  responses(said) {
    if (said.kind === 'image') {
      const { url, detail } = said;
      return { type: 'input_image', image_url: url, ...(detail !== undefined && { detail }) };
    }
    const { name, data, url, id } = said;
    const source = data !== undefined ? { file_data: data } : url !== undefined ? { file_url: url } : { file_id: id };
    return { type: 'input_file', ...(name !== undefined && { filename: name }), ...source };
  },

  anthropic(said, message, losses) {
    if (said.kind === 'image') {
      const source = dataSource(said.url, IMAGE_DATA) ?? urlSource(said.url);
      if (source !== null && said.detail !== undefined) {
        losses.push({ what: 'field', message, detail: 'content.detail' });
      }
      return source === null ? null : { type: 'image', source };
    }
    const { name, data = '', url = '' } = said;
    const source = dataSource(data, PDF_DATA) ?? (isPdf(said) ? urlSource(url) : null);
    return source === null ? null : { type: 'document', source, ...(name !== undefined && { title: name }) };
  },
};
