// Uses every entry of the installed package a little, and prints what comes out: the same in every runtime.
import { chatToText, check, engine, parse, scan } from 'openchatml';
import * as convert from 'openchatml/convert';
import * as js from 'openchatml/js';
import { scanFile } from 'openchatml/node';
import { MessageStream } from 'openchatml/stream';
import * as tools from 'openchatml/tools';
import { readYaml } from 'openchatml/yaml';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TEXT = `---
version: 2.2
models: [a, b]
---
<|start|>user<|message|>Grüße 🌍<|end|>
<|start|>assistant<|channel|>analysis<|message|>Hm.<|end|>
<|start|>assistant to=functions.weather call_id=w1<|channel|>commentary<|message|>{"city":"Oslo"}<|call|>
<|start|>functions.weather to=assistant call_id=w1<|channel|>commentary<|message|>cold<|end|>
<|start|>assistant<|channel|>final<|message|>Cold.<|return|>
`;

const print = (name, value) => console.log(`${name} ${JSON.stringify(value)}`);

const read = parse(TEXT, { yaml: readYaml });
print('engine', engine());
print('messages', [...read.messages()].map((message) => message.toRecord()));
print('check', check(TEXT));
print('broken', check('<|start|>user<|message|>Hi<|start|>'));
print('scan', scan(TEXT));
const twin = [...js.parse(TEXT).messages()];
print('without WebAssembly', twin.map(({ role, channel, content }) => [role, channel, content]));

const stream = new MessageStream();
const events = [];
for (let at = 0; at < TEXT.length; at += 7) events.push(...stream.feed(TEXT.slice(at, at + 7)));
events.push(...stream.end());
print('stream', events);

const { text } = chatToText({ messages: [{ role: 'user', content: 'é' }] }, 'openchatml-2.2');
print('text', text);
print('names', [convert, tools].map((entry) => Object.keys(entry).sort()));

const file = join(tmpdir(), `openchatml-smoke-${process.pid}.txt`);
writeFileSync(file, TEXT);
try {
  print('file', scanFile(file));
} finally {
  rmSync(file);
}
