// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface IToken {
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function transfer(address, uint256) external returns (bool);
}

interface IPair {
    function buy() external payable returns (uint256);
    function reserves() external view returns (uint256 tokens, uint256 wei_);
    function token() external view returns (IToken);
}

/// What you write: buys from a pool that is on the chain already, and refuses a bad price.
contract Buyer {
    IPair public immutable pair;

    error TooFew(uint256 got, uint256 wanted);

    constructor(IPair pair_) {
        pair = pair_;
    }

    function buy(uint256 wanted) external payable returns (uint256 got) {
        got = pair.buy{value: msg.value}();
        if (got < wanted) revert TooFew(got, wanted);
        pair.token().transfer(msg.sender, got);
    }
}
