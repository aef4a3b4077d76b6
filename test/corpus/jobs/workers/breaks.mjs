// A worker that cannot even begin.
throw new Error('broken');
