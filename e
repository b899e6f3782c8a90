/work/main/cassettes: no suite 'nosuch'; nearest: economy-6, mini-6
