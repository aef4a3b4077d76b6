//! Encodes Harmony text with openai-harmony and reads it back id by id; prints one JSON object, as stream_harmony.py
//! does.
//!
//! Standard input: the text. Arguments: how many rounds to time.
//! {"ids": [...], "seconds": [...], "messages": n, "characters": n}

use std::io::Read;
use std::time::Instant;

use openai_harmony::{load_harmony_encoding, HarmonyEncoding, HarmonyEncodingName, StreamableParser};

/// Messages, and characters of all deltas.
fn read(encoding: &HarmonyEncoding, ids: &[u32]) -> anyhow::Result<(usize, usize)> {
    let mut parser = StreamableParser::new(encoding.clone(), None)?;
    let mut characters = 0;
    for &id in ids {
        parser.process(id)?;
        if let Some(delta) = parser.last_content_delta()? {
            characters += delta.chars().count();
        }
    }
    parser.process_eos()?;
    Ok((parser.messages().len(), characters))
}

fn main() -> anyhow::Result<()> {
    let rounds: usize = std::env::args().nth(1).unwrap_or_default().parse()?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let encoding = load_harmony_encoding(HarmonyEncodingName::HarmonyGptOss)?;
    let ids = encoding.tokenizer().encode_with_special_tokens(&text);
    let (messages, characters) = read(&encoding, &ids)?;
    let mut seconds = Vec::new();
    for _ in 0..rounds {
        let begin = Instant::now();
        read(&encoding, &ids)?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    println!("{{\"ids\":{ids:?},\"seconds\":{seconds:?},\"messages\":{messages},\"characters\":{characters}}}");
    Ok(())
}
